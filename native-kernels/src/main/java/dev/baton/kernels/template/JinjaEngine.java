package dev.baton.kernels.template;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.LegacyOverrides;
import com.hubspot.jinjava.el.JinjavaInterpreterResolver;
import com.hubspot.jinjava.lib.fn.ELFunctionDefinition;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Locale;
import jinjava.javax.el.CompositeELResolver;

/** Jinjava set up to behave as Python's Jinja does for chat templates, with bounds on what a template may use. */
final class JinjaEngine {

    private static final int MAX_ELEMENTS = 100_000;

    static final Jinjava INSTANCE = create();

    private JinjaEngine() {}

    private static Jinjava create() {
        CompositeELResolver resolver = new CompositeELResolver();
        resolver.add(new PythonStrings());
        resolver.add(JinjavaInterpreterResolver.DEFAULT_RESOLVER_READ_ONLY);
        JinjavaConfig config = JinjavaConfig.newBuilder()
                .withTrimBlocks(true)
                .withLstripBlocks(true)
                .withNestedInterpretationEnabled(false)
                .withMaxOutputSize(ChatTemplate.MAX_OUTPUT_CHARS)
                .withMaxStringLength(ChatTemplate.MAX_OUTPUT_CHARS)
                .withMaxListSize(MAX_ELEMENTS)
                .withMaxMapSize(MAX_ELEMENTS)
                .withRangeLimit(MAX_ELEMENTS)
                .withMaxRenderDepth(20)
                .withElResolver(resolver)
                .withLegacyOverrides(LegacyOverrides.newBuilder()
                        .withEvaluateMapKeys(true)
                        .withIterateOverMapKeys(true)
                        .withUsePyishObjectMapper(true)
                        .withUseNaturalOperatorPrecedence(true)
                        .withParseWhitespaceControlStrictly(true)
                        .withAllowAdjacentTextNodes(true)
                        .withUseTrimmingForNotesAndExpressions(true)
                        .withKeepNullableLoopValues(true)
                        .build())
                .build();
        Jinjava jinjava = new Jinjava(config);
        jinjava.registerFunction(
                new ELFunctionDefinition("", "raise_exception", JinjaEngine.class, "raiseException", Object.class));
        jinjava.registerFunction(
                new ELFunctionDefinition("", "strftime_now", JinjaEngine.class, "strftimeNow", Object.class));
        return jinjava;
    }

    /** Called by templates: {@code raise_exception("...")}. */
    public static String raiseException(Object message) {
        throw new TemplateException("the chat template refuses this chat: " + message);
    }

    /** Called by templates: {@code strftime_now("%d %b %Y")}. */
    public static String strftimeNow(Object format) {
        return Strftime.format(String.valueOf(format), ZonedDateTime.now(ZoneOffset.UTC), Locale.ROOT);
    }
}
