package dev.baton.contract.identity;

/** Who pays and who may see: cache, capabilities and limits never cross it. */
public record TenantId(String value) implements Comparable<TenantId> {
    public TenantId {
        Identities.requireName("TenantId", value);
    }

    @Override
    public int compareTo(TenantId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
