"""Brukhim, Daniely, Mansour & Moran, Multiclass Boosting (NeurIPS 2023)."""
