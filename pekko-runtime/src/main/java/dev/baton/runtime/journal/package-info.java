/**
 * Where request events are kept: an embedded file database by default, PostgreSQL by configuration, the same schema in both
 * (the one that pekko-persistence-jdbc ships).
 */
@NullMarked
package dev.baton.runtime.journal;

import org.jspecify.annotations.NullMarked;
