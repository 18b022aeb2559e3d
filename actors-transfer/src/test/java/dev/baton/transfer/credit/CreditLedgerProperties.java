package dev.baton.transfer.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.contract.identity.TransferId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The window against a model that keeps every (transfer, chunk) in a map. */
class CreditLedgerProperties {
    private static final long CAPACITY_BYTES = 100;

    /** One call of the ledger. */
    sealed interface Call {}

    record Acquire(int transfer, int chunk, long bytes) implements Call {}

    record Release(int transfer, int chunk) implements Call {}

    record ReleaseAll(int transfer) implements Call {}

    @Provide
    Arbitrary<List<Call>> calls() {
        Arbitrary<Integer> transfers = Arbitraries.integers().between(0, 3);
        Arbitrary<Integer> chunks = Arbitraries.integers().between(0, 4);
        Arbitrary<Call> acquire = Combinators.combine(
                        transfers, chunks, Arbitraries.longs().between(1, CAPACITY_BYTES))
                .as(Acquire::new);
        Arbitrary<Call> release = Combinators.combine(transfers, chunks).as(Release::new);
        Arbitrary<Call> releaseAll = transfers.map(ReleaseAll::new);
        return Arbitraries.oneOf(acquire, acquire, release, release, releaseAll)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }

    @Property(tries = 500)
    void s0x06B_inflightIsTheSumOfWhatIsOutAndNeverExceedsTheWindow(@ForAll("calls") List<Call> calls) {
        CreditLedger ledger = new CreditLedger(CAPACITY_BYTES);
        Map<String, Long> out = new HashMap<>();
        Set<String> returned = new HashSet<>();
        for (Call call : calls) {
            switch (call) {
                case Acquire(int transfer, int chunk, long bytes) -> {
                    String key = transfer + "/" + chunk;
                    long before = sum(out);
                    Optional<CreditRefusal> answer = ledger.acquire(id(transfer), chunk, bytes);
                    if (out.containsKey(key)) {
                        assertThat(answer).contains(CreditRefusal.ALREADY_ACQUIRED);
                    } else if (returned.contains(key)) {
                        assertThat(answer).contains(CreditRefusal.ALREADY_RELEASED);
                    } else if (before + bytes > CAPACITY_BYTES) {
                        assertThat(answer).contains(CreditRefusal.WINDOW_FULL);
                    } else {
                        assertThat(answer).isEmpty();
                        out.put(key, bytes);
                    }
                }
                case Release(int transfer, int chunk) -> {
                    String key = transfer + "/" + chunk;
                    Optional<CreditRefusal> answer = ledger.release(id(transfer), chunk);
                    if (out.remove(key) != null) {
                        assertThat(answer).isEmpty();
                        returned.add(key);
                    } else {
                        assertThat(answer)
                                .contains(
                                        returned.contains(key)
                                                ? CreditRefusal.ALREADY_RELEASED
                                                : CreditRefusal.NOT_ACQUIRED);
                    }
                }
                case ReleaseAll(int transfer) -> {
                    String prefix = transfer + "/";
                    long held = out.entrySet().stream()
                            .filter(e -> e.getKey().startsWith(prefix))
                            .mapToLong(Map.Entry::getValue)
                            .sum();
                    assertThat(ledger.releaseAll(id(transfer))).isEqualTo(held);
                    out.keySet().removeIf(key -> key.startsWith(prefix));
                    returned.removeIf(key -> key.startsWith(prefix));
                }
            }
            CreditSnapshot now = ledger.snapshot();
            assertThat(now.inflightBytes()).isEqualTo(sum(out)).isBetween(0L, CAPACITY_BYTES);
            assertThat(now.inflightChunks()).isEqualTo(out.size());
            assertThat(now.acquiredChunks() - now.releasedChunks()).isEqualTo(out.size());
        }
        for (int transfer = 0; transfer <= 3; transfer++) {
            ledger.releaseAll(id(transfer));
        }
        assertThat(ledger.snapshot().inflightBytes()).isZero();
        assertThat(ledger.snapshot().openTransfers()).isZero();
    }

    @Example
    void s0x06B_aChunkLargerThanTheWindowIsAnErrorNotAWait() {
        CreditLedger ledger = new CreditLedger(CAPACITY_BYTES);
        assertThatThrownBy(() -> ledger.acquire(id(1), 0, CAPACITY_BYTES + 1))
                .hasMessageContaining("enlarge the window");
        assertThatThrownBy(() -> ledger.acquire(id(1), 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Example
    void s0x06B_aDoubleReturnInventsNoBytes() {
        CreditLedger ledger = new CreditLedger(CAPACITY_BYTES);
        ledger.acquire(id(1), 0, 60);
        ledger.acquire(id(2), 0, 40);
        assertThat(ledger.release(id(1), 0)).isEmpty();
        assertThat(ledger.release(id(1), 0)).contains(CreditRefusal.ALREADY_RELEASED);
        assertThat(ledger.snapshot().inflightBytes()).isEqualTo(40);
        assertThat(ledger.snapshot().refusals()).containsEntry(CreditRefusal.ALREADY_RELEASED, 1L);
    }

    private static TransferId id(int number) {
        return new TransferId(0, number);
    }

    private static long sum(Map<String, Long> out) {
        return out.values().stream().mapToLong(Long::longValue).sum();
    }
}
