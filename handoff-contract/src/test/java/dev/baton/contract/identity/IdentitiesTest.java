package dev.baton.contract.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class IdentitiesTest {
    private static final Map<String, Function<String, Object>> NAMES = Map.of(
            "TenantId", TenantId::new, "RequestId", RequestId::new, "WorkerId", WorkerId::new, "ModelId", ModelId::new);
    private static final Map<String, LongFunction<Object>> NUMBERS = Map.of(
            "Generation", Generation::new,
            "Attempt", Attempt::new,
            "WorkerEpoch", WorkerEpoch::new,
            "RoleEpoch", RoleEpoch::new,
            "RouteEpoch", RouteEpoch::new,
            "ReservationId", ReservationId::new);

    @Test
    void s0x01A_aNameIsPrintableAsciiOfBoundedLength() {
        List<String> bad = List.of("", "a b", "tab\t", "ü", "del\u007f", "x".repeat(129));
        NAMES.forEach((type, make) -> {
            assertThat(make.apply("x".repeat(128))).hasToString("x".repeat(128));
            for (String name : bad) {
                assertThatThrownBy(() -> make.apply(name))
                        .as("%s of '%s'", type, name)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(type);
            }
        });
    }

    @Test
    void s0x01A_aNumberIsNotNegative() {
        NUMBERS.forEach((type, make) -> {
            assertThat(make.apply(0)).hasToString("0");
            assertThatThrownBy(() -> make.apply(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(type);
        });
    }

    @Test
    void s0x10_versionsAreOrderedAndAdvanceByOne() {
        assertThat(Generation.FIRST.next()).isEqualTo(new Generation(2)).isGreaterThan(Generation.FIRST);
        assertThat(Attempt.FIRST.next()).isEqualTo(new Attempt(2)).isGreaterThan(Attempt.FIRST);
        assertThat(RoleEpoch.FIRST.next()).isEqualTo(new RoleEpoch(2)).isGreaterThan(RoleEpoch.FIRST);
        assertThat(RouteEpoch.FIRST.next()).isEqualTo(new RouteEpoch(2)).isGreaterThan(RouteEpoch.FIRST);
        assertThat(new WorkerEpoch(9)).isLessThan(new WorkerEpoch(10));
        assertThat(new ReservationId(9)).isLessThan(new ReservationId(10));
    }

    @Test
    void s0x10_aVersionNeverWrapsAround() {
        assertThatThrownBy(() -> new Generation(Long.MAX_VALUE).next()).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void s0x01A_aDigestIsSha256InHex() {
        Digest digest = Digest.sha256("abc".getBytes(StandardCharsets.US_ASCII));

        assertThat(digest.hex()).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(Digest.of(digest.bytes())).isEqualTo(digest);
        assertThat(digest.brief()).isEqualTo("ba7816bf8f01");
        assertThatThrownBy(() -> new Digest("ba78")).hasMessageContaining("64");
        assertThatThrownBy(() -> new Digest("z".repeat(64))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void s0x01A_digestsOfTheSameBytesAreEqualHoweverTheyAreSpelled() {
        String lower = Digest.sha256(new byte[] {1}).hex();

        assertThatThrownBy(() -> new Digest(lower.toUpperCase(Locale.ROOT)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
