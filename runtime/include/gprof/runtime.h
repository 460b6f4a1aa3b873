/* Control of the gprof-lsp collector (libgprof_runtime) from within a program. C89 and C++.
 *
 * A program built with -pg is profiled without any of this. All functions may be called from any
 * thread and from signal handlers. Before the program has counted anything there is nothing to
 * write or reset; gprof_control() takes effect even then.
 */
#ifndef GPROF_RUNTIME_H
#define GPROF_RUNTIME_H

#define GPROF_RUNTIME_VERSION_MAJOR 0
#define GPROF_RUNTIME_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the profile collected so far: gmon.out and its sidecar. RunInfo continues, and a later
 * profile, such as the one at exit, replaces these files. Returns 0, or -1 if nothing was collected
 * or the files could not be written. */
int gprof_dump(void);

/* Resets all counts and samples to 0. */
void gprof_reset(void);

/* Stops (0) or resumes (any other value) counting and sampling in all threads. Returns whether it
 * was on before. */
int gprof_control(int on);

/* The version of the library in use, e.g. "0.1.0". */
const char* gprof_runtime_version(void);

#ifdef __cplusplus
}
#endif

#endif
