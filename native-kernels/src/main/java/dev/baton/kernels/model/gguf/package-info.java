/**
 * A model file of the GGUF format, versions 2 and 3. {@link dev.baton.kernels.model.gguf.GgufFile} maps it and checks every
 * count, length, offset and shape against the bytes that are there before anything is allocated or read; from then on nothing
 * in the file can surprise its readers. {@link dev.baton.kernels.model.gguf.GgufModel} reads the shape of a Llama model out of
 * it and hands out tensors as views of the mapping. Closing either unmaps the file and invalidates the views. Whatever is
 * wrong with a file ends as one {@link dev.baton.kernels.model.gguf.ModelFileException}.
 */
@NullMarked
package dev.baton.kernels.model.gguf;

import org.jspecify.annotations.NullMarked;
