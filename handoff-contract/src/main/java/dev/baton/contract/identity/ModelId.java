package dev.baton.contract.identity;

/** The name under which a model is served. */
public record ModelId(String value) implements Comparable<ModelId> {
    public ModelId {
        Identities.requireName("ModelId", value);
    }

    @Override
    public int compareTo(ModelId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
