"""The compiled floor: kernels that run without the interpreter lock. It imports no celab Python."""
