package dev.baton.contract.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MachineHostTest {
    private enum No {
        NEGATIVE
    }

    private final List<String> log = new ArrayList<>();
    private @Nullable MachineHost<Integer, Integer, String, No> host;

    @Test
    void s0x00A_aDecisionIsRecordedThenAdoptedThenItsEffectsRunInOrder() {
        MachineHost<Integer, Integer, String, No> counter = counter(effect -> {});

        assertThat(counter.handle(5)).isEqualTo(Decision.moved(15, "first 5", "second 5"));
        assertThat(counter.state()).isEqualTo(15);
        assertThat(log).containsExactly("record 10+5=15 in state 10", "first 5 in state 15", "second 5 in state 15");
    }

    @Test
    void s0x00A_aRefusalIsReportedAndChangesNothing() {
        MachineHost<Integer, Integer, String, No> counter = counter(effect -> {});

        assertThat(counter.handle(-1)).isEqualTo(Decision.refused(No.NEGATIVE));
        assertThat(counter.state()).isEqualTo(10);
        assertThat(log).containsExactly("refused NEGATIVE for -1");
    }

    @Test
    void s0x00A_anIgnoredEventLeavesNoTrace() {
        MachineHost<Integer, Integer, String, No> counter = counter(effect -> {});

        assertThat(counter.handle(0)).isInstanceOf(Decision.Ignored.class);
        assertThat(counter.state()).isEqualTo(10);
        assertThat(log).isEmpty();
    }

    @Test
    void s0x00A_anEffectMayNotHandleAnEventOfItsOwnHost() {
        MachineHost<Integer, Integer, String, No> counter =
                counter(effect -> hostOrFail().handle(1));

        assertThatThrownBy(() -> counter.handle(5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside an effect");
        assertThat(counter.state()).isEqualTo(15);
    }

    @Test
    void s0x00A_afterAFailedEffectTheHostIsUsableInTheAdoptedState() {
        MachineHost<Integer, Integer, String, No> counter = counter(effect -> {
            if (effect.endsWith(" 5")) {
                throw new IllegalArgumentException("effect failed");
            }
        });

        assertThatThrownBy(() -> counter.handle(5)).hasMessage("effect failed");
        counter.handle(1);
        assertThat(counter.state()).isEqualTo(16);
    }

    @Test
    void s0x00A_whatCannotBeRecordedIsNotAdopted() {
        MachineHost<Integer, Integer, String, No> counter = new MachineHost<>(
                MachineHostTest::add,
                10,
                (from, event, to) -> {
                    throw new IllegalArgumentException("journal is full");
                },
                log::add,
                (reason, event) -> log.add("refused"));

        assertThatThrownBy(() -> counter.handle(5)).hasMessage("journal is full");
        assertThat(counter.state()).isEqualTo(10);
        assertThat(log).isEmpty();
    }

    @Test
    void s0x00A_aRecorderMayNotHandleAnEventOfItsOwnHost() {
        host = new MachineHost<>(
                MachineHostTest::add,
                10,
                (from, event, to) -> {
                    if (event == 5) {
                        hostOrFail().handle(1);
                    }
                },
                log::add,
                (reason, event) -> log.add("refused"));

        assertThatThrownBy(() -> hostOrFail().handle(5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("same host");
        assertThat(hostOrFail().state()).isEqualTo(10);
    }

    private interface Then {
        void run(String effect);
    }

    private MachineHost<Integer, Integer, String, No> counter(Then then) {
        MachineHost<Integer, Integer, String, No> made = new MachineHost<>(
                MachineHostTest::add,
                10,
                (from, event, to) -> log.add("record " + from + "+" + event + "=" + to + " in state "
                        + hostOrFail().state()),
                effect -> {
                    log.add(effect + " in state " + hostOrFail().state());
                    then.run(effect);
                },
                (reason, event) -> log.add("refused " + reason + " for " + event));
        host = made;
        return made;
    }

    private MachineHost<Integer, Integer, String, No> hostOrFail() {
        if (host == null) {
            throw new AssertionError("no host");
        }
        return host;
    }

    private static Decision<Integer, String, No> add(int state, int event) {
        if (event < 0) {
            return Decision.refused(No.NEGATIVE);
        }
        return event == 0
                ? Decision.ignored("nothing to add")
                : Decision.moved(state + event, "first " + event, "second " + event);
    }
}
