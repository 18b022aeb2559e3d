package dev.baton.contract.tensor;

/**
 * Which part of the model's K/V a worker holds.
 *
 * @param tensorRank 0-based rank in the split over K/V heads
 * @param tensorRanks number of such ranks
 * @param pipelineStage 0-based stage in the split over layers
 * @param pipelineStages number of such stages
 */
public record Partition(int tensorRank, int tensorRanks, int pipelineStage, int pipelineStages) {
    public static final Partition WHOLE = new Partition(0, 1, 0, 1);

    public Partition {
        if (tensorRanks < 1 || tensorRank < 0 || tensorRank >= tensorRanks) {
            throw new IllegalArgumentException("tensor rank " + tensorRank + " of " + tensorRanks);
        }
        if (pipelineStages < 1 || pipelineStage < 0 || pipelineStage >= pipelineStages) {
            throw new IllegalArgumentException("pipeline stage " + pipelineStage + " of " + pipelineStages);
        }
    }

    @Override
    public String toString() {
        return "tp" + tensorRank + "/" + tensorRanks + ",pp" + pipelineStage + "/" + pipelineStages;
    }
}
