//! What makes some tokens likelier and others impossible: the list of biases, edited as text and as ids.
