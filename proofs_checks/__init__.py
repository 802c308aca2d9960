"""The ledger: one module per numbered result; run it with ``boosttheory check`` or pytest."""
