"""Methods: learners with a scikit-learn face. `registry` lists them."""
