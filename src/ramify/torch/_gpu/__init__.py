"""Sums over trees and chains on a GPU, as kernels in Triton: one program for each item of a batch.

All numbers are in double precision. The modules import PyTorch and Triton, and nothing of the engine.
"""
