/* What a program may ask of the gprof-lsp collector (libgprof_runtime). C89 and C++.
 *
 * Nothing of this is needed to be profiled: a program built with -pg is. All functions may be
 * called from any thread and from signal handlers. Before the program has counted anything there is
 * nothing to write or to reset; gprof_control() holds from then on as well.
 */
#ifndef GPROF_RUNTIME_H
#define GPROF_RUNTIME_H

#define GPROF_RUNTIME_VERSION_MAJOR 0
#define GPROF_RUNTIME_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the profile as it stands: gmon.out and what goes with it. Collection goes on, and a later
 * profile, such as the one at the end, replaces these files. Returns 0, or -1 where nothing was
 * collected or the files could not be written. */
int gprof_dump(void);

/* All counts and samples begin again at 0. */
void gprof_reset(void);

/* Stops (0) and continues (anything else) the counting of calls and blocks and the sampling, in all
 * threads. Returns whether it was on before. */
int gprof_control(int on);

/* Of the library that is running, e.g. "0.1.0". */
const char* gprof_runtime_version(void);

#ifdef __cplusplus
}
#endif

#endif
