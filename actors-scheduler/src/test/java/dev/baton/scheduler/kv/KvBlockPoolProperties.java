package dev.baton.scheduler.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TransferId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KvBlockPoolProperties {
    private static final TransferId OWNER = new TransferId(1, 2);

    private record Held(KvReservation reservation, List<Integer> shares) {}

    @Test
    void s0x06B_noBlockEverHasTwoOwnersAndEverythingComesBack() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            KvBlockPool pool = new KvBlockPool(1 + random.nextInt(64));
            List<Held> held = new ArrayList<>();
            Set<Integer> taken = new HashSet<>();
            Set<ReservationId> ids = new HashSet<>();
            for (int step = 0; step < 300; step++) {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        int wanted = 1 + random.nextInt(pool.totalBlocks());
                        boolean fits = wanted <= pool.usage().freeBlocks();
                        Optional<KvReservation> got = pool.reserve(OWNER, wanted);
                        assertThat(got.isPresent()).as("seed %d", seed).isEqualTo(fits);
                        got.ifPresent(r -> {
                            assertThat(ids.add(r.id()))
                                    .as("reservation ids are unique")
                                    .isTrue();
                            r.blocks().forEach(b -> assertThat(taken.add(b)).isTrue());
                            held.add(new Held(r, new ArrayList<>(r.blocks())));
                        });
                    }
                    case 1 -> {
                        if (!held.isEmpty()) {
                            Held any = held.get(random.nextInt(held.size()));
                            int block =
                                    any.shares().get(random.nextInt(any.shares().size()));
                            pool.share(any.reservation().id(), block);
                            any.shares().add(block);
                        }
                    }
                    default -> {
                        if (!held.isEmpty()) {
                            Held any = held.get(random.nextInt(held.size()));
                            Integer block =
                                    any.shares().get(random.nextInt(any.shares().size()));
                            pool.release(any.reservation().id(), List.of(block));
                            any.shares().remove((Object) block);
                            if (!any.shares().contains(block)) {
                                taken.remove(block);
                            }
                            if (any.shares().isEmpty()) {
                                held.remove(any);
                            }
                        }
                    }
                }
                assertThat(pool.usage().heldBlocks())
                        .as("seed %d step %d", seed, step)
                        .isEqualTo(taken.size());
                assertThat(pool.usage().reservations()).isEqualTo(held.size());
            }
            held.forEach(h -> pool.release(h.reservation().id(), h.shares()));
            assertThat(pool.usage().idle()).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void s0x06E_aBlockGivenBackTwiceIsABug() {
        KvBlockPool pool = new KvBlockPool(4);
        KvReservation reservation = pool.reserve(OWNER, 2).orElseThrow();
        pool.release(reservation.id(), reservation.blocks());
        assertThatThrownBy(() -> pool.release(reservation.id(), reservation.blocks()))
                .isInstanceOf(IllegalStateException.class);
        KvReservation next = pool.reserve(OWNER, 4).orElseThrow();
        assertThatThrownBy(() ->
                        pool.release(reservation.id(), List.of(next.blocks().getFirst())))
                .as("an old reservation frees nothing of a new one")
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not held by reservation");
        assertThatThrownBy(() -> pool.share(reservation.id(), next.blocks().getFirst()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void s0x0F_aReservationCoversTheWholeTrajectoryOfEveryChoice() {
        // 33 prompt tokens: two full blocks shared, one slot of a third; 16 more tokens write 15 rows.
        TrajectoryShape shape = new TrajectoryShape(33, 16, 3, 16);
        assertThat(shape.promptBlocks()).isEqualTo(3);
        assertThat(shape.sharedBlocks()).isEqualTo(2);
        assertThat(shape.ownBlocks()).isEqualTo(1);
        assertThat(shape.totalBlocks()).isEqualTo(5);
        assertThat(new TrajectoryShape(33, 17, 3, 16).ownBlocks()).isEqualTo(2);
        assertThat(new TrajectoryShape(32, 1, 2, 16).ownBlocks()).isZero();
        assertThat(new TrajectoryShape(1, 0, 1, 16).totalBlocks()).isEqualTo(1);
    }
}
