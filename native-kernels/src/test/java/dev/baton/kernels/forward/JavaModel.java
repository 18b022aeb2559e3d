package dev.baton.kernels.forward;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.RopeStyle;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;

/** A Llama forward pass in plain Java over F32 tensors, written from the architecture and not from the kernels: no paging, no batch. */
final class JavaModel {
    private final ModelSource source;
    private final LlamaConfig c;

    JavaModel(ModelSource source) {
        this.source = source;
        this.c = source.config();
    }

    float[][] logits(int[] tokens) {
        float[][] x = new float[tokens.length][];
        Tensor embedding = source.tensor(TensorRole.TOKEN_EMBEDDING, 0);
        for (int t = 0; t < tokens.length; t++) {
            x[t] = row(embedding, tokens[t]);
        }
        for (int layer = 0; layer < c.layers(); layer++) {
            float[][] normed = norm(x, TensorRole.ATTENTION_NORM, layer);
            float[][] attended = attention(
                    rotate(product(normed, TensorRole.QUERY, layer), c.heads()),
                    rotate(product(normed, TensorRole.KEY, layer), c.kvHeads()),
                    product(normed, TensorRole.VALUE, layer));
            add(x, product(attended, TensorRole.ATTENTION_OUTPUT, layer));
            normed = norm(x, TensorRole.FFN_NORM, layer);
            float[][] gate = product(normed, TensorRole.FFN_GATE, layer);
            float[][] up = product(normed, TensorRole.FFN_UP, layer);
            for (int t = 0; t < tokens.length; t++) {
                for (int i = 0; i < c.ffnDim(); i++) {
                    gate[t][i] = (float) (gate[t][i] / (1 + Math.exp(-gate[t][i]))) * up[t][i];
                }
            }
            add(x, product(gate, TensorRole.FFN_DOWN, layer));
        }
        float[][] last = norm(x, TensorRole.OUTPUT_NORM, 0);
        return product(last, c.tiedOutput() ? TensorRole.TOKEN_EMBEDDING : TensorRole.OUTPUT, 0);
    }

    private float[][] attention(float[][] q, float[][] k, float[][] v) {
        int d = c.headDim();
        float[][] out = new float[q.length][c.heads() * d];
        for (int t = 0; t < q.length; t++) {
            for (int head = 0; head < c.heads(); head++) {
                int kvHead = head / (c.heads() / c.kvHeads());
                double[] weights = new double[t + 1];
                double largest = Double.NEGATIVE_INFINITY;
                for (int s = 0; s <= t; s++) {
                    for (int i = 0; i < d; i++) {
                        weights[s] += (double) q[t][head * d + i] * k[s][kvHead * d + i];
                    }
                    weights[s] /= Math.sqrt(d);
                    largest = Math.max(largest, weights[s]);
                }
                double total = 0;
                for (int s = 0; s <= t; s++) {
                    weights[s] = Math.exp(weights[s] - largest);
                    total += weights[s];
                }
                for (int i = 0; i < d; i++) {
                    double sum = 0;
                    for (int s = 0; s <= t; s++) {
                        sum += weights[s] * v[s][kvHead * d + i];
                    }
                    out[t][head * d + i] = (float) (sum / total);
                }
            }
        }
        return out;
    }

    private float[][] rotate(float[][] x, int heads) {
        int half = c.headDim() / 2;
        for (int t = 0; t < x.length; t++) {
            for (int head = 0; head < heads; head++) {
                for (int i = 0; i < half; i++) {
                    boolean pairs = c.ropeStyle() == RopeStyle.INTERLEAVED;
                    int a = head * c.headDim() + (pairs ? 2 * i : i);
                    int b = pairs ? a + 1 : a + half;
                    double angle = t / Math.pow(c.ropeTheta(), 2.0 * i / c.headDim());
                    double left = x[t][a];
                    double right = x[t][b];
                    x[t][a] = (float) (left * Math.cos(angle) - right * Math.sin(angle));
                    x[t][b] = (float) (left * Math.sin(angle) + right * Math.cos(angle));
                }
            }
        }
        return x;
    }

    private float[][] norm(float[][] x, TensorRole role, int layer) {
        float[] weight = row(source.tensor(role, layer), 0);
        float[][] out = new float[x.length][c.dModel()];
        for (int t = 0; t < x.length; t++) {
            double square = 0;
            for (float f : x[t]) {
                square += (double) f * f;
            }
            double scale = 1 / Math.sqrt(square / c.dModel() + c.rmsEpsilon());
            for (int i = 0; i < c.dModel(); i++) {
                out[t][i] = (float) (x[t][i] * scale * weight[i]);
            }
        }
        return out;
    }

    private float[][] product(float[][] x, TensorRole role, int layer) {
        Tensor weight = source.tensor(role, layer);
        float[][] out = new float[x.length][Math.toIntExact(weight.rows())];
        for (int n = 0; n < weight.rows(); n++) {
            float[] w = row(weight, n);
            for (int t = 0; t < x.length; t++) {
                double sum = 0;
                for (int i = 0; i < w.length; i++) {
                    sum += (double) w[i] * x[t][i];
                }
                out[t][n] = (float) sum;
            }
        }
        return out;
    }

    private static void add(float[][] x, float[][] y) {
        for (int t = 0; t < x.length; t++) {
            for (int i = 0; i < x[t].length; i++) {
                x[t][i] += y[t][i];
            }
        }
    }

    private static float[] row(Tensor tensor, long row) {
        float[] out = new float[Math.toIntExact(tensor.cols())];
        for (int i = 0; i < out.length; i++) {
            out[i] = tensor.data().get(JAVA_FLOAT_UNALIGNED, (row * tensor.cols() + i) * 4);
        }
        return out;
    }
}
