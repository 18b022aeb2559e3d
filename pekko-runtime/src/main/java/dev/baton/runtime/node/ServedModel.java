package dev.baton.runtime.node;

import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.manifest.Digests;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.gguf.EmbeddedModel;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.template.ChatTemplate;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The model of this process: opened once, shared by HTTP, request entities and workers, closed last.
 *
 * @param id name by which clients ask for it
 * @param file the mapped file
 */
public record ServedModel(ModelId id, GgufModel file, Tokenizer tokenizer, ChatTemplate template)
        implements AutoCloseable {

    /** Told while the weights are read; done and total in bytes. */
    @FunctionalInterface
    public interface Progress {
        void at(String what, long doneBytes, long totalBytes);
    }

    public static ServedModel open(NodeSettings.ModelSettings settings) {
        boolean embedded = settings.file().equals("embedded");
        GgufModel file = embedded ? EmbeddedModel.open() : GgufModel.open(Path.of(settings.file()));
        try {
            Tokenizer tokenizer = Tokenizer.from(file.metadata());
            ChatTemplate template = ChatTemplate.from(file.metadata(), tokenizer);
            String name = !settings.name().isEmpty() ? settings.name() : embedded ? EmbeddedModel.NAME : file.name();
            return new ServedModel(new ModelId(servable(name)), file, tokenizer, template);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Names travel in URLs and metric labels. */
    private static String servable(String name) {
        String cleaned = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._/-]+", "-");
        return cleaned.isEmpty() ? "model" : cleaned;
    }

    public LlamaConfig config() {
        return file.config();
    }

    /**
     * Reads every weight once.
     *
     * @param numerics what decides the bits on the device that runs it
     */
    public ModelIdentity identity(String numerics, Progress progress) {
        var digests = dev.baton.kernels.model.gguf.ModelIdentity.of(
                file, (done, total) -> progress.at("checking weights", done, total));
        LlamaConfig config = config();
        return new ModelIdentity(
                id,
                Digest.of(digests.checkpointDigest()),
                Digest.of(digests.tokenizerDigest()),
                Digests.NONE,
                Digests.ofText("positions-1|from-zero|rope|" + config.ropeStyle() + '|'
                        + Float.toHexString(config.ropeTheta()) + '|' + config.headDim()),
                Digests.CAUSAL_MASK,
                numerics);
    }

    @Override
    public void close() {
        file.close();
    }
}
