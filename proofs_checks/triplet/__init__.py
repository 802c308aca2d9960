"""Perrot & von Luxburg, Boosting for Comparison-Based Learning (IJCAI 2019)."""
