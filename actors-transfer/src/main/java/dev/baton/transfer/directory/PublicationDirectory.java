package dev.baton.transfer.directory;

import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TransferId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The decode directory of one destination worker, §0x06D and §0x10: at most one readable handle per request, of its newest
 * generation. A ledger without clock; one actor owns it.
 *
 * <p>The directory names blocks and never owns them. They belong to the transfer until its machine admits decode, and to decode
 * after it: decode that finds a superseded handle releases the blocks unread.
 *
 * <p>Memory is bounded: the last {@code remembered} ended transfers and the newest generations of as many requests are kept, so
 * a late reader learns why it gets nothing and a late publication of an older generation stays refused.
 */
public final class PublicationDirectory {

    private record Entry(PublicationHandle handle, List<Integer> blockIds, long expiresAtNanos) {}

    private final int remembered;
    private final Map<RequestId, Entry> live = new LinkedHashMap<>();
    private final Map<TransferId, EndReason> ended = new LinkedHashMap<>();
    /**
     * The newest generation that was published for a request and has ended. A withdrawn one does not count: nobody was admitted
     * to it, and another attempt of that generation may publish.
     */
    private final Map<RequestId, Generation> newest = new LinkedHashMap<>();

    private long nextSerial = 1;

    /** @param remembered ended transfers, and requests without readable state, that are kept */
    public PublicationDirectory(int remembered) {
        if (remembered <= 0) {
            throw new IllegalArgumentException("remembered must be positive, found " + remembered);
        }
        this.remembered = remembered;
    }

    /**
     * The compare-and-swap of §0x06D.
     *
     * @param blockIds arena blocks of the complete state
     * @param expiresAtNanos when nobody will come for it any more
     */
    public DirectoryAnswer publishIfGenerationCurrent(
            RequestId request,
            Generation generation,
            TransferId transfer,
            List<Integer> blockIds,
            long expiresAtNanos) {
        EndReason end = ended.get(transfer);
        if (end != null) {
            return new DirectoryAnswer.AlreadyEnded(end);
        }
        Entry current = live.get(request);
        if (current != null && current.handle().transfer().equals(transfer)) {
            return new DirectoryAnswer.AlreadyPublishedSame(current.handle());
        }
        if (current != null && current.handle().generation().compareTo(generation) >= 0) {
            return new DirectoryAnswer.StaleGeneration(current.handle().generation());
        }
        Generation past = newest.get(request);
        if (past != null && past.compareTo(generation) >= 0) {
            return new DirectoryAnswer.StaleGeneration(past);
        }
        PublicationHandle handle = new PublicationHandle(request, generation, transfer, nextSerial++);
        if (current != null) {
            end(request, EndReason.SUPERSEDED);
        }
        live.put(request, new Entry(handle, List.copyOf(blockIds), expiresAtNanos));
        return current == null
                ? new DirectoryAnswer.Published(handle)
                : new DirectoryAnswer.PublishedOver(handle, current.handle());
    }

    /** @param generation the reader's own generation of the request */
    public Lookup lookup(PublicationHandle handle, Generation generation) {
        Entry current = live.get(handle.request());
        if (current == null || !current.handle().equals(handle)) {
            return new Lookup.Missing(why(ended.get(handle.transfer())));
        }
        return current.handle().generation().equals(generation)
                ? new Lookup.Found(current.handle(), current.blockIds())
                : new Lookup.Missing(Lookup.Reason.GENERATION_MISMATCH);
    }

    /** Decode takes the state: found once, CONSUMED ever after. */
    public Lookup consume(PublicationHandle handle, Generation generation) {
        Lookup lookup = lookup(handle, generation);
        if (lookup instanceof Lookup.Found found) {
            end(found.handle().request(), EndReason.CONSUMED);
        }
        return lookup;
    }

    /** Before decode was admitted: the transfer is not published and never will be. Its blocks stay with the caller. */
    public DirectoryAnswer withdraw(RequestId request, TransferId transfer) {
        EndReason end = ended.get(transfer);
        if (end != null && end != EndReason.WITHDRAWN) {
            return new DirectoryAnswer.AlreadyEnded(end);
        }
        Entry current = live.get(request);
        if (current != null && current.handle().transfer().equals(transfer)) {
            end(request, EndReason.WITHDRAWN);
        } else {
            remember(ended, transfer, EndReason.WITHDRAWN);
        }
        return new DirectoryAnswer.Withdrawn();
    }

    /** Ends the handles that nobody took in time, and names them. */
    public List<Lookup.Found> expire(long atNanos) {
        List<Lookup.Found> expired = new ArrayList<>();
        for (Entry entry : List.copyOf(live.values())) {
            if (atNanos - entry.expiresAtNanos() >= 0) {
                end(entry.handle().request(), EndReason.EXPIRED);
                expired.add(new Lookup.Found(entry.handle(), entry.blockIds()));
            }
        }
        return expired;
    }

    /** Readable handles. */
    public int publishedCount() {
        return live.size();
    }

    /** Ended transfers that are remembered. */
    public int rememberedCount() {
        return ended.size();
    }

    private void end(RequestId request, EndReason reason) {
        Entry entry = live.remove(request);
        if (entry == null) {
            return;
        }
        remember(ended, entry.handle().transfer(), reason);
        if (reason != EndReason.WITHDRAWN) {
            remember(newest, request, entry.handle().generation());
        }
    }

    private <K, V> void remember(Map<K, V> memory, K key, V value) {
        memory.remove(key);
        memory.put(key, value);
        if (memory.size() > remembered) {
            Iterator<K> eldest = memory.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    private static Lookup.Reason why(@Nullable EndReason end) {
        if (end == null) {
            return Lookup.Reason.UNKNOWN;
        }
        return switch (end) {
            case CONSUMED -> Lookup.Reason.CONSUMED;
            case SUPERSEDED -> Lookup.Reason.SUPERSEDED;
            case EXPIRED -> Lookup.Reason.EXPIRED;
            case WITHDRAWN -> Lookup.Reason.WITHDRAWN;
        };
    }
}
