package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.scheduler.cls.ClsProtocol.ClusterView;
import dev.baton.scheduler.request.RequestProtocol.Trace;
import dev.baton.scheduler.worker.WorkerReport;
import java.util.List;
import java.util.Locale;

/** JSON of what can be looked at: models, traces, the cluster. */
final class Views {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Views() {}

    /** One model as OpenAI shows it, with the length of its context. */
    static ObjectNode model(ModelCard card) {
        return JSON.objectNode()
                .put("id", card.id().value())
                .put("object", "model")
                .put("created", card.createdEpochSeconds())
                .put("owned_by", "baton")
                .put("context_length", card.contextTokens());
    }

    static ObjectNode models(List<ModelCard> cards) {
        ObjectNode list = JSON.objectNode().put("object", "list");
        ArrayNode data = list.putArray("data");
        cards.forEach(card -> data.add(model(card)));
        return list;
    }

    static ObjectNode trace(RequestId request, Trace trace) {
        ObjectNode view = JSON.objectNode().put("request_id", request.value());
        ArrayNode transitions = view.putArray("transitions");
        for (TransitionRecord record : trace.transitions()) {
            transitions
                    .addObject()
                    .put("machine", record.machine())
                    .put("where", record.where())
                    .put("at_epoch_micros", record.atEpochMicros())
                    .put("sequence", record.sequence())
                    .put("from", record.from())
                    .put("event", record.event())
                    .put("to", record.to())
                    .put("detail", record.detail());
        }
        return view;
    }

    static ObjectNode cluster(ModelCard card, ClusterView cluster) {
        ObjectNode view = JSON.objectNode()
                .put("model", card.id().value())
                .put("waiting_requests", cluster.waiting())
                .put("bound_requests", cluster.bound());
        ArrayNode workers = view.putArray("workers");
        for (WorkerReport report : cluster.workers()) {
            workers.addObject()
                    .put("worker", report.ref().worker().value())
                    .put("epoch", report.ref().epoch().value())
                    .put("role", report.role().name().toLowerCase(Locale.ROOT))
                    .put("role_epoch", report.ref().roleEpoch().value())
                    .put("node", report.nodeAddress())
                    .put("report_sequence", report.sequence())
                    .put("pending_prefill_tokens", report.pendingPrefillTokens())
                    .put("running_decodes", report.runningDecodes())
                    .put("free_blocks", report.freeBlocks())
                    .put("total_blocks", report.totalBlocks())
                    .put("context_tokens", report.contextTokens());
        }
        return view;
    }
}
