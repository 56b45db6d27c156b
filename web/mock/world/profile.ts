/** Profiles of a slower message: base copies it once, head twice; head checks it in other code than base. */
import type { ProfileComparison, ProfileOfEnd } from "@/api/types";
import { noise, wobble } from "./commits";

const MESSAGES = { base: 48_200, head: 40_100 };

/** A function with its own times per message, and its callees. */
type Call = {
  name: string;
  on_cpu_ns?: readonly [base: number, head: number];
  waiting_ns?: readonly [base: number, head: number];
  callees?: Call[];
};

const call = (name: string, callees: Call[] = [], base = 0, head = base): Call => ({
  name,
  on_cpu_ns: [base, head],
  callees,
});

const asleep = (base: number, head: number) =>
  call(
    "syscall",
    [
      call(
        "entry_SYSCALL_64_[k]",
        [
          call(
            "do_futex_[k]",
            [
              call(
                "futex_wait_[k]",
                [
                  call(
                    "schedule_[k]",
                    [
                      call(
                        "__schedule_[k]",
                        [
                          { name: "finish_task_switch_[k]", on_cpu_ns: [120, 118], waiting_ns: [base, head] },
                          call("psi_task_switch_[k]", [], 95, 101),
                        ],
                        140,
                        143,
                      ),
                    ],
                    22,
                    20,
                  ),
                  call("hrtimer_start_range_ns_[k]", [], 35, 33),
                ],
                60,
                64,
              ),
            ],
            48,
            45,
          ),
        ],
        85,
        88,
      ),
    ],
    30,
    31,
  );

const wake = () =>
  call(
    "syscall",
    [
      call(
        "entry_SYSCALL_64_[k]",
        [
          call(
            "do_futex_[k]",
            [
              call(
                "futex_wake_[k]",
                [call("wake_up_q_[k]", [call("try_to_wake_up_[k]", [], 310, 322)], 40, 38)],
                70,
                72,
              ),
            ],
            30,
            28,
          ),
        ],
        80,
        78,
      ),
    ],
    25,
    26,
  );

const RESPONDER = call(
  "_start",
  [
    call(
      "main",
      [
        call(
          "ring::serve",
          [
            call("ring::receive", [asleep(2_400, 2_380), call("ring::Header::decode", [], 60, 62)], 110, 112),
            call(
              "ring::answer",
              [
                call("ring::Header::check", [call("crc32_table", [], 240, 0)], 30, 0),
                call("ring::Message::check", [call("crc32_pclmul", [], 0, 95)], 0, 35),
                call(
                  "ring::Message::encode",
                  [
                    call(
                      "alloc::vec::Vec<T,A>::extend_from_slice",
                      [
                        call(
                          "__memmove_avx_unaligned_erms",
                          [call("asm_exc_page_fault_[k]", [call("clear_page_erms_[k]", [], 0, 210)], 0, 90)],
                          150,
                          420,
                        ),
                      ],
                      40,
                      95,
                    ),
                    call("malloc", [call("_int_malloc", [], 35, 190)], 20, 60),
                    call("cfree", [call("_int_free", [], 20, 85)], 10, 30),
                  ],
                  90,
                  130,
                ),
                wake(),
              ],
              80,
              84,
            ),
          ],
          50,
          48,
        ),
      ],
      5,
      5,
    ),
  ],
  1,
  1,
);

const INITIATOR = call(
  "_start",
  [
    call(
      "main",
      [
        call(
          "ring::measure",
          [
            call(
              "ring::send",
              [
                call("ring::Header::encode", [], 70, 71),
                call("__memmove_avx_unaligned_erms", [], 150, 149),
                wake(),
              ],
              90,
              92,
            ),
            call("ring::receive", [asleep(3_050, 3_720), call("ring::Header::decode", [], 60, 61)], 105, 108),
            call("clock_gettime", [call("[vdso]", [], 45, 45)], 10, 10),
          ],
          60,
          58,
        ),
      ],
      5,
      5,
    ),
  ],
  1,
  1,
);

const OTHERS = call(
  "ret_from_fork_asm_[k]",
  [call("kthread_[k]", [call("worker_thread_[k]", [call("process_one_work_[k]", [], 14, 15)], 3, 3)], 2, 2)],
  1,
  1,
);

/** The profiles of the regression that the mock explains. */
export function profile(): ProfileComparison {
  return comparisonOf([
    ["initiator", [INITIATOR]],
    ["responder", [RESPONDER]],
    ["other processes", [OTHERS]],
  ]);
}

/** Frames of one function call on average two others, at most this deep. */
const DEPTH_MAX = 40;
const FUNCTIONS = 4_000;

/** A profile with this many frames in one end, for measurements. */
export function largeProfile(frameCount: number): ProfileComparison {
  const functions = Array.from(
    { length: FUNCTIONS },
    (_, index) =>
      `${noise(index) < 0.3 ? `sys_function_${index}_[k]` : `library::module_${index % 97}::function_${index}`}`,
  );
  const end = emptyEnd("responder");
  const depths: number[] = [];
  for (let frame = 0; frame < frameCount; frame++) {
    // Recent frames call more often, so that stacks are deep.
    const back = 1 + Math.floor(noise(frame, 1) ** 3 * Math.min(frame, 2_000));
    const caller = frame - back;
    const isOutermost = caller < 0 || (depths[caller] ?? 0) >= DEPTH_MAX;
    depths.push(isOutermost ? 0 : (depths[caller] ?? 0) + 1);
    const on_cpu_ns = 1_000_000 * noise(frame, 2) ** 4;
    const change = noise(frame, 3) < 0.02 ? 3 * noise(frame, 4) : wobble(0.05, frame, 5);
    append(end, isOutermost ? null : caller, Math.floor(noise(frame, 6) * FUNCTIONS), {
      on_cpu_ns: [on_cpu_ns, on_cpu_ns * change],
      waiting_ns: [on_cpu_ns / 10, on_cpu_ns / 10],
    });
  }
  return { base_messages: MESSAGES.base, head_messages: MESSAGES.base, functions, ends: [end] };
}

function comparisonOf(ends: [name: string, outermost: Call[]][]): ProfileComparison {
  const indices = new Map<string, number>();
  const indexOf = (name: string) => {
    const index = indices.get(name) ?? indices.size;
    indices.set(name, index);
    return index;
  };
  const all = ends.map(([name, outermost]) => {
    const end = emptyEnd(name);
    const add = (parent: number | null, { name, callees = [], on_cpu_ns, waiting_ns }: Call) => {
      append(end, parent, indexOf(name), {
        on_cpu_ns: inAll(on_cpu_ns),
        waiting_ns: inAll(waiting_ns),
      });
      const frame = end.parents.length - 1;
      for (const callee of callees) add(frame, callee);
    };
    for (const outer of outermost) add(null, outer);
    return end;
  });
  return {
    base_messages: MESSAGES.base,
    head_messages: MESSAGES.head,
    functions: [...indices.keys()],
    ends: all,
  };
}

/** The times of all messages. */
function inAll([base, head]: readonly [number, number] = [0, 0]): [number, number] {
  return [base * MESSAGES.base, head * MESSAGES.head];
}

type Times = { on_cpu_ns: readonly [number, number]; waiting_ns: readonly [number, number] };

function append(end: ProfileOfEnd, parent: number | null, named: number, { on_cpu_ns, waiting_ns }: Times) {
  end.parents.push(parent);
  end.functions.push(named);
  end.base_on_cpu_ns.push(Math.round(on_cpu_ns[0]));
  end.head_on_cpu_ns.push(Math.round(on_cpu_ns[1]));
  end.base_waiting_ns.push(Math.round(waiting_ns[0]));
  end.head_waiting_ns.push(Math.round(waiting_ns[1]));
}

function emptyEnd(name: string): ProfileOfEnd {
  return {
    name,
    parents: [],
    functions: [],
    base_on_cpu_ns: [],
    base_waiting_ns: [],
    head_on_cpu_ns: [],
    head_waiting_ns: [],
  };
}
