//! Text exactly as Python writes it: `repr`, `str`, `float.__repr__`, `str.strip`.
