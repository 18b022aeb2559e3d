package dev.baton.runtime.node;

import com.typesafe.config.Config;
import dev.baton.scheduler.cls.ClsLimits;
import dev.baton.scheduler.request.RequestLimits;
import dev.baton.scheduler.request.actor.RequestSettings;
import java.time.Duration;

/** {@code baton.request} and {@code baton.cls}. */
record ControlSettings(RequestSettings request, ClsLimits cls, Duration clsTick) {

    static ControlSettings of(Config baton) {
        Config request = baton.getConfig("request");
        Config cls = baton.getConfig("cls");
        RequestLimits limits = new RequestLimits(
                request.getInt("max-retries"),
                request.getInt("max-refusals"),
                request.getDuration("refusal-backoff"),
                request.getDuration("route-wait"),
                request.getDuration("reask"),
                request.getDuration("reserve"),
                request.getDuration("prefill"),
                request.getDuration("publish"),
                request.getDuration("silence"));
        return new ControlSettings(
                new RequestSettings(
                        limits,
                        request.getDuration("passivate-after"),
                        request.getInt("max-parked-pulls"),
                        request.getDuration("max-pull-wait"),
                        request.getInt("max-trace-records")),
                new ClsLimits(
                        cls.getInt("max-waiting"), cls.getDuration("report-timeout"), cls.getDuration("retry-after")),
                cls.getDuration("tick"));
    }
}
