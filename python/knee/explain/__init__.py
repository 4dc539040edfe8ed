"""Why a curve bends: what the runs of a study say, as plain data. `analysis` puts it together."""
