package dev.baton.kernels.template;

/**
 * One turn of a chat.
 *
 * @param role {@code system}, {@code user}, {@code assistant}, or another the model knows
 */
public record ChatMessage(String role, String content) {}
