import { workerData } from "node:worker_threads";

/**
 * A thread of the child that ends the process once its parent is gone, also while the main thread is blocked in a run
 * and cannot hear that the socket closed. (A thread may not be ended during a run, but the whole process may.)
 */
const parent = Number(workerData);
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 500);
