package dev.baton.runtime.node;

import dev.baton.runtime.telemetry.Metrics;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.LinkMonitor;
import dev.baton.transfer.link.LinkRefusal;
import java.util.function.Consumer;

/** What the data plane counts; its death fences the workers that used it. */
record LinkMeter(Metrics metrics, Consumer<String> fence) implements LinkMonitor {

    @Override
    public void refused(LinkRefusal reason) {
        metrics.refusal("link", reason);
    }

    @Override
    public void failed(LinkFailure failure) {
        fence.accept("the data plane failed: " + failure.getMessage());
    }
}
