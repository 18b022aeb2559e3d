package dev.baton.runtime.node;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.runtime.http.Backend;
import dev.baton.runtime.http.ModelCard;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.cls.actor.ClsEntity;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestSpec;
import dev.baton.scheduler.request.actor.RequestEntity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityRef;

/** Request entities and schedulers, wherever in the cluster they live. */
final class ShardingBackend implements Backend {

    /** An entity that moves answers after its shard is up again; longer than that, the caller hears of it. */
    private static final Duration ASK_TIMEOUT = Duration.ofSeconds(15);

    private final ClusterSharding sharding;
    private final List<ModelCard> models;
    private final Supplier<Readiness> readiness;

    ShardingBackend(ClusterSharding sharding, List<ModelCard> models, Supplier<Readiness> readiness) {
        this.sharding = sharding;
        this.models = List.copyOf(models);
        this.readiness = readiness;
    }

    @Override
    public List<ModelCard> models() {
        return models;
    }

    @Override
    public CompletionStage<RequestProtocol.Submitted> submit(RequestSpec spec) {
        return request(spec.request()).ask(replyTo -> new RequestProtocol.Submit(spec, replyTo), ASK_TIMEOUT);
    }

    @Override
    public CompletionStage<RequestProtocol.Pulled> pull(
            RequestId request, int fromSequence, int maxItems, long waitMillis) {
        return request(request)
                .ask(
                        replyTo -> new RequestProtocol.Pull(fromSequence, maxItems, waitMillis, replyTo),
                        ASK_TIMEOUT.plusMillis(waitMillis));
    }

    @Override
    public CompletionStage<RequestProtocol.Cancelled> cancel(RequestId request) {
        return request(request).ask(RequestProtocol.Cancel::new, ASK_TIMEOUT);
    }

    @Override
    public CompletionStage<RequestProtocol.Trace> trace(RequestId request) {
        return request(request).ask(RequestProtocol.ReadTrace::new, ASK_TIMEOUT);
    }

    @Override
    public CompletionStage<ClsProtocol.ClusterView> cluster(ModelId model) {
        return sharding.entityRefFor(ClsEntity.TYPE_KEY, model.value()).ask(ClsProtocol.ReadCluster::new, ASK_TIMEOUT);
    }

    @Override
    public Readiness ready() {
        return readiness.get();
    }

    private EntityRef<RequestProtocol.Command> request(RequestId request) {
        return sharding.entityRefFor(RequestEntity.TYPE_KEY, request.value());
    }
}
