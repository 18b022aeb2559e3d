/**
 * From a chat to the text of a prompt. A {@link dev.baton.kernels.template.ChatTemplate} is read once from a model file,
 * where the model's makers wrote it as Jinja; each request renders its messages through it and tokenizes the text with
 * special tokens parsed. Rendering is bounded in output and loops, and whatever goes wrong is one
 * {@link dev.baton.kernels.template.TemplateException}.
 */
@NullMarked
package dev.baton.kernels.template;

import org.jspecify.annotations.NullMarked;
