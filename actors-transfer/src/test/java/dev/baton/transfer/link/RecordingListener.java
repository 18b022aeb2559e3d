package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it was told, in order. */
public class RecordingListener implements ChunkListener {
    /** One call. */
    public sealed interface Told {}

    public record Received(int chunkIndex, long payloadBytes, int crc) implements Told {}

    public record Duplicate(int chunkIndex, int crc, boolean sameBytes) implements Told {}

    public record Refused(int chunkIndex, LinkRefusal reason) implements Told {}

    private final List<Told> told = new CopyOnWriteArrayList<>();

    @Override
    public void received(TransferId transfer, int chunkIndex, long payloadBytes, int crc) {
        told.add(new Received(chunkIndex, payloadBytes, crc));
    }

    @Override
    public void duplicate(TransferId transfer, int chunkIndex, int crc, boolean sameBytes) {
        told.add(new Duplicate(chunkIndex, crc, sameBytes));
    }

    @Override
    public void refused(TransferId transfer, int chunkIndex, LinkRefusal reason) {
        told.add(new Refused(chunkIndex, reason));
    }

    public List<Told> told() {
        return List.copyOf(told);
    }

    public long receivedCount() {
        return told.stream().filter(Received.class::isInstance).count();
    }
}
