"""Neural networks on PU risks, in torch; imported only when a net is fitted."""
