// SPDX-License-Identifier: Apache-2.0

//! delivery.cedar as a policy set of Cedar. What a denial demands is read off the policies that made it; where none did, the class's
//! default is looked up here.
use cedar_policy::{Authorizer, Context, Decision, Entities, EntityId, EntityTypeName, EntityUid, PolicyId, PolicySet, Request};
use serde_json::Value;
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

const ALLOW: u8 = 0;
const REQUIRE_APPROVAL: u8 = 1;
const BLOCK: u8 = 2;
const NAMES: [&str; 3] = ["ALLOW", "REQUIRE_APPROVAL", "BLOCK"];

struct Engine {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    restrictions: HashMap<PolicyId, u8>,
    types: [EntityTypeName; 3],
}

struct Asked {
    action: String,
    request: Request,
}

fn default_of(action: &str) -> u8 {
    match action {
        "repo.read" | "repo.list" | "deployment.status" => ALLOW,
        _ if action.starts_with("deployment.") || action.starts_with("repo.") => REQUIRE_APPROVAL,
        _ => BLOCK,
    }
}

impl Engine {
    fn new() -> Self {
        let policies: PolicySet = include_str!("delivery.cedar").parse().expect("policies");
        let restrictions = policies
            .policies()
            .filter_map(|one| {
                let decision = one.annotation("decision")?;
                Some((one.id().clone(), if decision == "BLOCK" { BLOCK } else { REQUIRE_APPROVAL }))
            })
            .collect();
        let types = ["Agent", "Action", "Target"].map(|name| name.parse().expect("a type"));
        Engine { authorizer: Authorizer::new(), policies, entities: Entities::empty(), restrictions, types }
    }

    fn parse(&self, line: &str) -> Asked {
        let mut value: Value = serde_json::from_str(line).expect("a request");
        let mut context = value["context"].take();
        let uid = |kind: usize, text: &str| EntityUid::from_type_name_and_id(self.types[kind].clone(), EntityId::new(text));
        let action = value["action"].as_str().expect("action").to_owned();
        let target = uid(2, value["target"].as_str().expect("target"));
        let agent = uid(0, value["agent_id"].as_str().expect("agent_id"));
        context["agent_id"] = value["agent_id"].take();
        let context = Context::from_json_value(context, None).expect("a context");
        let request = Request::new(agent, uid(1, &action), target, context, None).expect("a request");
        Asked { action, request }
    }

    fn decide(&self, asked: &Asked) -> u8 {
        let answer = self.authorizer.is_authorized(&asked.request, &self.policies, &self.entities);
        if answer.decision() == Decision::Allow {
            return ALLOW;
        }
        answer.diagnostics().reason().map(|id| self.restrictions[id]).max().unwrap_or_else(|| default_of(&asked.action))
    }
}

/// Processor time of all threads, so that what else the machine does has no part in it.
fn used() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is there on every Linux, and `time` is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn measure(count: usize, ask: impl Fn(usize) -> u8) -> f64 {
    let mut found: Vec<f64> = (0..16)
        .map(|_| {
            let (begin, mut asked) = (used(), 0);
            while used() - begin < Duration::from_millis(20) {
                for i in 0..count {
                    black_box(ask(i));
                }
                asked += count;
            }
            (used() - begin).as_nanos() as f64 / asked as f64
        })
        .skip(1) // the first warms up
        .collect();
    found.sort_by(f64::total_cmp);
    found[found.len() / 2]
}

fn main() {
    let engine = Engine::new();
    let text = std::fs::read_to_string(std::env::args().nth(1).expect("REQUESTS")).expect("requests");
    let lines: Vec<&str> = text.lines().collect();
    let asked: Vec<Asked> = lines.iter().map(|line| engine.parse(line)).collect();
    let as_value = |i: usize| engine.decide(&asked[i]);
    let as_json = |i: usize| engine.decide(&engine.parse(lines[i]));
    let decisions: Vec<&str> = (0..lines.len())
        .map(|i| {
            assert_eq!(as_value(i), as_json(i), "text and value differ");
            NAMES[as_value(i) as usize]
        })
        .collect();
    let (value_ns, json_ns) = (measure(lines.len(), as_value), measure(lines.len(), as_json));
    println!("{}", serde_json::json!({"decisions": decisions, "value_ns": value_ns, "json_ns": json_ns}));
}
