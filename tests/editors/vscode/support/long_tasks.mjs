// Tasks of the page's main thread in the browser's own trace, while something is done.
const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
const LONG = 50_000;  // microseconds
// Both name the same tasks; the second one lies within the first.
const TASK = 'ThreadControllerImpl::RunTask';
const NAMES_OF_TASKS = new Set([TASK, 'RunTask']);

const milliseconds = (microseconds) => Math.round(microseconds / 100) / 10;

// The thread of each process that draws pages.
function mainThreads(events) {
  return new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`));
}

// What a task was busy with: what took longest within it.
function contents(task, events) {
  const end = task.ts + task.dur;
  return events.filter(({ pid, tid, ts, dur, name }) => pid === task.pid && tid === task.tid
      && ts >= task.ts && ts + (dur ?? 0) <= end && dur > 5_000 && !NAMES_OF_TASKS.has(name))
    .map(({ name, dur, args }) => ({
      name, milliseconds: milliseconds(dur), function: args?.data?.functionName, url: args?.data?.url,
    }))
    .sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 6);
}

// `wall` is what passed until a task ended, `busy` the processor's time that it took: where other
// programs have the processor, they differ.
function described(task, events) {
  return {
    wall: milliseconds(task.dur), busy: milliseconds(task.tdur ?? task.dur),
    contents: contents(task, events),
  };
}

export async function longTasks(page, body) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: CATEGORIES });
  let trace;
  try {
    await body();
  } finally {
    trace = JSON.parse((await browser.stopTracing()).toString());
  }
  const events = trace.traceEvents;
  const threads = mainThreads(events);
  const tasks = events.filter(({ name, ph, pid, tid }) =>
    ph === 'X' && name === TASK && threads.has(`${pid} ${tid}`));
  const long = tasks.filter(({ dur }) => dur > LONG);
  const busy = long.filter(({ tdur, dur }) => (tdur ?? dur) > LONG);
  return {
    tasks: tasks.length,
    longerThan50: long.length,
    busyLongerThan50: busy.length,
    longestBusy: milliseconds(Math.max(0, ...tasks.map(({ tdur, dur }) => tdur ?? dur))),
    long: busy.map((task) => described(task, events)),
  };
}
