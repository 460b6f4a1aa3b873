// Tasks of the page's main thread in the browser's own trace, while something is done.
const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
const LONG = 50;
const TASK = new Set(['ThreadControllerImpl::RunTask', 'RunTask']);

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
      && ts >= task.ts && ts + (dur ?? 0) <= end && dur > 5_000 && !TASK.has(name))
    .map(({ name, dur, args }) => ({
      name, milliseconds: milliseconds(dur), function: args?.data?.functionName, url: args?.data?.url,
    }))
    .sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 6);
}

export async function longTasks(page, body) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: CATEGORIES });
  try {
    await body();
  } finally {
    var trace = JSON.parse((await browser.stopTracing()).toString());
  }
  const events = trace.traceEvents;
  const threads = mainThreads(events);
  const tasks = events.filter(({ name, ph, pid, tid }) =>
    ph === 'X' && TASK.has(name) && threads.has(`${pid} ${tid}`));
  return {
    tasks: tasks.length,
    longest: milliseconds(Math.max(0, ...tasks.map(({ dur }) => dur))),
    long: tasks.filter(({ dur }) => dur > LONG * 1_000).map((task) => ({
      milliseconds: milliseconds(task.dur), contents: contents(task, events),
    })),
  };
}
