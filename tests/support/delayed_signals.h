// Defines DELAYS_SIGNALS where the thread sanitizer, GCC's or clang's, delays signals until the
// next system call: there they interrupt nothing.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define DELAYS_SIGNALS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DELAYS_SIGNALS 1
#endif
#endif
