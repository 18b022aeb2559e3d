package dev.baton.scheduler.mls;

/**
 * Bounds of one worker's iterations.
 *
 * @param maxRows most rows of one iteration, decode rows and prompt positions together
 * @param prefillBudgetTokens most prompt positions of one iteration
 * @param maxQueuedPrefills prompts waiting or in computation; more are refused
 * @param maxDecodes sequences admitted to decode; more are refused
 * @param wholePrompt never splits a prompt that fits the budget; one longer than the budget is split all the same
 */
public record MlsLimits(
        int maxRows, int prefillBudgetTokens, int maxQueuedPrefills, int maxDecodes, boolean wholePrompt) {
    public MlsLimits {
        if (maxRows < 1 || prefillBudgetTokens < 1 || maxQueuedPrefills < 1 || maxDecodes < 1) {
            throw new IllegalArgumentException(
                    "limits of the machine-level scheduler must be positive: maxRows=" + maxRows
                            + " prefillBudgetTokens=" + prefillBudgetTokens + " maxQueuedPrefills=" + maxQueuedPrefills
                            + " maxDecodes=" + maxDecodes);
        }
    }
}
