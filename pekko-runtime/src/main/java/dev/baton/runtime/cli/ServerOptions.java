package dev.baton.runtime.cli;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the running server is. */
final class ServerOptions {
    private static final String DEFAULT_URL = "http://127.0.0.1:8080";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The server (default: what up started, else " + DEFAULT_URL + ").")
    private @Nullable String url;

    ServerClient client() {
        String text = url != null
                ? url
                : RunState.open().read().map(RunState.Cluster::url).orElse(DEFAULT_URL);
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new CliFailure("--url " + text + " is no URL; write it like " + DEFAULT_URL, e);
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (uri.getHost() == null || !(scheme.equals("http") || scheme.equals("https"))) {
            throw new CliFailure("--url " + text + " is no HTTP URL; write it like " + DEFAULT_URL);
        }
        return new ServerClient(uri);
    }
}
