package dev.baton.contract.journal;

/**
 * Marks a record that crosses nodes or enters the journal. Bound to CBOR in the serialization configuration; nothing else
 * may be sent to another node, and Java serialization is off. A field of an interface type needs explicit type information.
 */
public interface WireMessage {}
