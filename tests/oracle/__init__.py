"""Slow, obvious twins of the kernels: plain Python, nothing imported from celab."""
