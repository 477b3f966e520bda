// Run-time choice of the instruction set for hot kernels, so that one build runs on any x86-64 and is fast on
// most.
#pragma once

// The resolvers run before the sanitizers' run-time is ready, so sanitizer builds take the portable code.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Put before a function definition (not a template): it is compiled once per instruction set.
#define RAMIFY_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RAMIFY_DISPATCH
#endif

#if defined(__GNUC__)
/// For what a dispatched function calls: only inlined code is compiled for the caller's instruction set.
#define RAMIFY_INLINE [[gnu::always_inline]] inline
#else
#define RAMIFY_INLINE inline
#endif
