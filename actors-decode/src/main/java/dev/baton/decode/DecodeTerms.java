package dev.baton.decode;

/**
 * What bounds a decode leg.
 *
 * @param choices sequences
 * @param maxTokens most tokens of one choice, counting those given before this leg
 * @param silenceNanos longest time without a word from the request entity while the leg runs
 * @param drainNanos longest time the loop may take to let go of a sequence
 */
public record DecodeTerms(int choices, int maxTokens, long silenceNanos, long drainNanos) {}
