package dev.baton.runtime.node;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.Model;
import dev.baton.runtime.http.ApiServer;
import dev.baton.runtime.http.Backend;
import dev.baton.runtime.http.ModelCard;
import dev.baton.runtime.http.ModelText;
import dev.baton.runtime.journal.JournalSchema;
import dev.baton.runtime.telemetry.Metrics;
import dev.baton.runtime.worker.WorkerActor;
import dev.baton.runtime.worker.WorkerSettings;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.cls.actor.ClsEntity;
import dev.baton.scheduler.kv.KvUsage;
import dev.baton.scheduler.mls.actor.WorkerAssembly;
import dev.baton.scheduler.mls.actor.WorkerRole;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.scheduler.request.Vocabulary;
import dev.baton.scheduler.request.actor.RequestEntity;
import dev.baton.transfer.link.AeronDataPlane;
import dev.baton.transfer.link.DataPlane;
import dev.baton.transfer.link.LinkCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running process of a Baton cluster. Close it once; closing waits until nothing is left. */
public final class Node implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    private final NodeSettings settings;
    private final ServedModel model;
    private final ActorSystem<Void> system;
    private final Metrics metrics = new Metrics();
    private final List<RunningWorker> workers = new ArrayList<>();
    private volatile String fencedBy = "";
    private final ShardingBackend backend;
    private final ReadinessProbe probe;
    /** Devices and weights, in closing order. */
    private final List<AutoCloseable> devices = new ArrayList<>();

    private @Nullable DataPlane dataPlane;
    private @Nullable ApiServer http;

    private record RunningWorker(WorkerAssembly worker, ActorRef<WorkerActor.Command> actor) {}

    /** Starts everything that the settings name. Progress is told while weights are read. */
    public static Node start(NodeSettings settings, ServedModel.Progress progress) {
        ServedModel model = ServedModel.open(settings.model());
        Node node;
        try {
            node = new Node(settings, model);
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
        try {
            node.run(progress);
            return node;
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private Node(NodeSettings settings, ServedModel model) {
        this.settings = settings;
        this.model = model;
        this.system = ActorSystem.create(Behaviors.empty(), PekkoConfig.SYSTEM, PekkoConfig.of(settings));
        ClusterSharding sharding = ClusterSharding.get(system);
        this.backend = new ShardingBackend(
                sharding,
                List.of(new ModelCard(
                        model.id(),
                        System.currentTimeMillis() / 1_000,
                        model.config().contextTokens(),
                        new ModelText(model.tokenizer(), model.template()))),
                this::readiness);
        this.probe = new ReadinessProbe(backend, model.id());
    }

    private void run(ServedModel.Progress progress) {
        if (settings.seeds().isEmpty()) {
            Cluster cluster = Cluster.get(system);
            cluster.manager().tell(Join.create(cluster.selfMember().address()));
        }
        if (settings.isControl()) {
            JournalSchema.createIfMissing(system, settings.journal(), START_TIMEOUT);
        }
        RequestGateway gateway = this::tellRequest;
        initEntities(gateway);
        if (settings.isWorker()) {
            startWorkers(gateway, progress);
        }
        if (settings.isControl()) {
            http = await(
                    ApiServer.start(
                            system,
                            backend,
                            settings.http().api(),
                            metrics,
                            settings.http().host(),
                            settings.http().port()),
                    START_TIMEOUT);
        }
        if (settings.isControl()) {
            probe.start();
        }
    }

    private void tellRequest(RequestId request, dev.baton.scheduler.request.RequestProtocol.Command message) {
        ClusterSharding.get(system)
                .entityRefFor(RequestEntity.TYPE_KEY, request.value())
                .tell(message);
    }

    private void tellScheduler(ModelId served, ClsProtocol.Command message) {
        ClusterSharding.get(system)
                .entityRefFor(ClsEntity.TYPE_KEY, served.value())
                .tell(message);
    }

    private void initEntities(RequestGateway gateway) {
        ClusterSharding sharding = ClusterSharding.get(system);
        ControlSettings control = ControlSettings.of(settings.baton());
        EpochClock clock = new EpochClock();
        Vocabulary vocabulary = Vocabulary.of(model.tokenizer());
        RequestEntity.init(
                sharding,
                control.request(),
                new RequestEntity.Ports(
                        served -> {
                            if (!served.equals(model.id())) {
                                throw new IllegalArgumentException("model " + served + " is not served here");
                            }
                            return vocabulary;
                        },
                        this::tellScheduler,
                        clock::nanos,
                        settings.name(),
                        new RequestMeter(metrics)));
        ClsEntity.init(sharding, new ClsEntity.Settings(control.cls(), control.clsTick(), clock::nanos), gateway);
    }

    /** What decides the bits: backend, instruction set, kernel version, activations, K/V format. */
    private String numerics(Device device, WorkerSettings numbers) {
        return device.numericsIdentity() + "/act-" + numbers.quantizedCompute().resolve(model.config()) + "/kv-"
                + numbers.kvType();
    }

    private void startWorkers(RequestGateway gateway, ServedModel.Progress progress) {
        WorkerSettings numbers = WorkerSettings.of(
                settings.baton(), model.config(), settings.workers().size(), settings.name());
        DataPlane link = AeronDataPlane.start(numbers.link(), new LinkMeter(metrics, this::fence));
        dataPlane = link;
        metrics.watchChunks(() -> {
            LinkCounters counts = link.counters();
            return new Metrics.Chunks(
                    counts.chunksSent(), counts.chunksReceived(), counts.duplicateChunks(), counts.wireBytesSent());
        });
        Device first = Device.open(numbers.device());
        devices.addFirst(first);
        ModelIdentity identity = model.identity(numerics(first, numbers), progress);
        long weightBytes = model.file().weightBytes();
        for (NodeSettings.WorkerSettings wanted : settings.workers()) {
            // A device of its own for each worker: prefill and decode run at the same time, on threads of their own.
            Device device = workers.isEmpty() ? first : Device.open(numbers.device());
            if (device != first) {
                devices.addFirst(device);
            }
            Model weights = Model.upload(
                    device,
                    numbers.quantizedCompute().apply(model.file()),
                    done -> progress.at("loading " + wanted.name(), done, weightBytes));
            devices.addFirst(weights);
            WorkerEpoch epoch = new WorkerEpoch(System.currentTimeMillis() * 1_000 + workers.size());
            WorkerRole role = new WorkerRole(wanted.role(), RoleEpoch.FIRST);
            WorkerAssembly worker = WorkerAssembly.start(
                    new WorkerId(wanted.name()),
                    epoch,
                    () -> role,
                    weights,
                    identity,
                    numbers.worker(),
                    numbers.kvType(),
                    link,
                    numbers.creditWindowBytes(),
                    gateway,
                    this::fence,
                    new WorkerMeter(metrics));
            ActorRef<WorkerActor.Command> actor = system.systemActorOf(
                    WorkerActor.create(
                            worker.context(),
                            model.id(),
                            wanted.role(),
                            RoleEpoch.FIRST,
                            message -> tellScheduler(model.id(), message),
                            numbers.reportInterval(),
                            credits -> metrics.creditsInFlight(new WorkerId(wanted.name()), credits)),
                    "worker-" + wanted.name(),
                    Props.empty());
            workers.add(new RunningWorker(worker, actor));
            metrics.watchBlocks(worker.context().worker(), () -> {
                KvUsage usage = worker.context().pool().usage();
                return new Metrics.Blocks(usage.freeBlocks(), usage.heldBlocks());
            });
        }
    }

    /** Nothing that this process's workers hold may be used any more: they leave, and the node says why it is not ready. */
    private void fence(String cause) {
        if (fencedBy.isEmpty()) {
            fencedBy = cause;
        }
        LOG.error("node={} fenced cause={}", settings.name(), cause);
        workers.forEach(worker -> worker.actor().tell(new WorkerActor.Fence(cause)));
    }

    private Backend.Readiness readiness() {
        String cause = fencedBy;
        return cause.isEmpty() ? probe.state() : new Backend.Readiness.NotReady("a worker fenced itself: " + cause);
    }

    /** @throws IllegalStateException when no probe has come through in time, with the last reason */
    public void awaitReady(Duration timeout) {
        try {
            if (!probe.await(timeout.toMillis())) {
                throw new IllegalStateException("not ready after " + timeout + ": " + readiness());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for readiness", e);
        }
    }

    /** Completes when this node is no member any more: closed, or removed by the others because they lost sight of it. */
    CompletionStage<?> whenEnded() {
        return system.getWhenTerminated();
    }

    public Backend backend() {
        return backend;
    }

    public Backend.Readiness ready() {
        return readiness();
    }

    public ModelId model() {
        return model.id();
    }

    public int contextTokens() {
        return model.config().contextTokens();
    }

    public int vocabulary() {
        return model.config().vocabulary();
    }

    /** The bound port, or 0 where this node serves no clients. */
    public int httpPort() {
        return http == null ? 0 : http.port();
    }

    /** Host and port under which other nodes reach this one. */
    public String clusterAddress() {
        var address = Cluster.get(system).selfMember().address();
        return address.getHost().orElse("") + ':' + address.getPort().orElse(0);
    }

    /**
     * What this process's workers hold at the moment.
     *
     * @param blocks reserved K/V blocks
     * @param legs prefill and decode legs
     * @param creditBytes bytes in flight
     * @param expectedTransfers transfers that the data plane knows
     * @param boundRequests routes that the scheduler counts as held, with those that wait
     */
    public record Holdings(long blocks, long legs, long creditBytes, long expectedTransfers, long boundRequests) {
        public static final Holdings NOTHING = new Holdings(0, 0, 0, 0, 0);
    }

    public Holdings holdings() {
        long blocks = 0;
        long legs = 0;
        long credits = 0;
        long expected = 0;
        for (RunningWorker running : workers) {
            blocks += running.worker().context().pool().usage().heldBlocks();
            WorkerActor.Load load = await(
                    AskPattern.ask(running.actor(), WorkerActor.ReadLoad::new, STOP_TIMEOUT, system.scheduler()),
                    STOP_TIMEOUT);
            legs += load.legs();
            credits += load.creditBytes();
            expected = running.worker().context().dataPlane().counters().expectedTransfers();
        }
        ClsProtocol.ClusterView view = await(backend.cluster(model.id()), STOP_TIMEOUT);
        return new Holdings(blocks, legs, credits, expected, view.bound() + view.waiting());
    }

    private static <T> T await(CompletionStage<T> stage, Duration timeout) {
        return stage.toCompletableFuture()
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    @Override
    public void close() {
        probe.close();
        ApiServer bound = http;
        if (bound != null) {
            quietly("http", () -> await(bound.stop(), STOP_TIMEOUT));
        }
        system.terminate();
        quietly("actors", () -> await(system.getWhenTerminated(), STOP_TIMEOUT));
        DataPlane link = dataPlane;
        if (link != null) {
            quietly("data plane", link);
        }
        workers.forEach(running -> quietly("worker", running.worker()));
        devices.forEach(resource -> quietly("device", resource));
        model.close();
    }

    private static void quietly(String what, AutoCloseable closing) {
        try {
            closing.close();
        } catch (Exception e) {
            LOG.warn("closing {} failed", what, e);
        }
    }
}
