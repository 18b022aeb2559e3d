package dev.baton.kernels.tokenizer;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A trie of tokens that are found whole in text: leftmost first, and of those the longest. */
final class SpecialTokens {

    private static final class Node {
        final Map<Character, Node> next = new HashMap<>();
        int id = -1;
    }

    /** Receives a stretch of ordinary text, {@code [from, to)}, never empty. */
    @FunctionalInterface
    interface TextConsumer {
        void accept(int from, int to);
    }

    private final Node root = new Node();

    void add(String text, int id) {
        if (text.isEmpty()) {
            return;
        }
        Node node = root;
        for (int i = 0; i < text.length(); i++) {
            node = node.next.computeIfAbsent(text.charAt(i), c -> new Node());
        }
        if (node.id < 0) {
            node.id = id;
        }
    }

    void split(String text, TextConsumer ordinary, IntConsumer special) {
        int start = 0;
        int at = 0;
        while (at < text.length()) {
            int end = -1;
            int id = -1;
            @Nullable Node node = root.next.get(text.charAt(at));
            for (int i = at + 1; node != null; i++) {
                if (node.id >= 0) {
                    id = node.id;
                    end = i;
                }
                node = i < text.length() ? node.next.get(text.charAt(i)) : null;
            }
            if (id < 0) {
                at++;
                continue;
            }
            if (at > start) {
                ordinary.accept(start, at);
            }
            special.accept(id);
            at = end;
            start = end;
        }
        if (text.length() > start) {
            ordinary.accept(start, text.length());
        }
    }
}
