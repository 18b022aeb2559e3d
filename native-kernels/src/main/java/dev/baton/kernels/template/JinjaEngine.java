package dev.baton.kernels.template;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.LegacyOverrides;
import com.hubspot.jinjava.el.JinjavaInterpreterResolver;
import com.hubspot.jinjava.el.JinjavaProcessors;
import com.hubspot.jinjava.interpret.RenderResult;
import com.hubspot.jinjava.lib.fn.ELFunctionDefinition;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.Map;
import jinjava.javax.el.CompositeELResolver;

/** Jinjava set up to behave as Python's Jinja does for chat templates, with bounds on what a template may use. */
final class JinjaEngine {

    private static final int MAX_ELEMENTS = 10_000;

    private static final long RENDER_LIMIT_NANOS = 2_000_000_000L;

    /** When the rendering under way on this thread must be done, by {@link System#nanoTime}. */
    private static final ThreadLocal<Long> DEADLINE_NANOS = new ThreadLocal<>();

    private static final Jinjava INSTANCE = create();

    private JinjaEngine() {}

    static boolean knowsFilter(String name) {
        return INSTANCE.getGlobalContext().getFilter(name) != null;
    }

    /** Ends within seconds: every tag and expression looks at the clock, and loops run over bounded lists. */
    static RenderResult render(String source, Map<String, Object> bindings) {
        DEADLINE_NANOS.set(System.nanoTime() + RENDER_LIMIT_NANOS);
        try {
            return INSTANCE.renderForResult(source, bindings);
        } finally {
            DEADLINE_NANOS.remove();
        }
    }

    private static void checkTime() {
        Long deadlineNanos = DEADLINE_NANOS.get();
        if (deadlineNanos != null && System.nanoTime() - deadlineNanos > 0) {
            throw new TemplateException(
                    "the chat template took longer than " + RENDER_LIMIT_NANOS / 1_000_000_000 + " s");
        }
    }

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
                .withProcessors(JinjavaProcessors.newBuilder()
                        .withNodePreProcessor((node, interpreter) -> checkTime())
                        .build())
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
        return Strftime.format(String.valueOf(format), ZonedDateTime.now(ZoneOffset.UTC), Locale.ENGLISH);
    }
}
