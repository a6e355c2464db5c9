import pytest

from milo_benchmark.episode import EpisodeRunner, StageLimits, State
from milo_benchmark.mailbox import EpisodeStopped
from milo_benchmark.ports import Evaluation, StageError, TaskCall
from milo_core.error_codes import EngineError, RunTaskError
from milo_core.tasks import load_tasks

ORDER = list(State)


class Player:
    def __init__(self, ports, **options):
        self.states = []
        self.exceptions = []
        self.runner = EpisodeRunner(
            ports,
            versions_digest="v",
            on_state=self.states.append,
            on_exception=self.exceptions.append,
            clock=ports.clock,
            now=lambda: "2026-01-01T00:00:00.000Z",
            **options,
        )

    def __call__(self, request):
        return self.runner.run(request)


def test_states_in_order(make):
    player = Player(make.ports())
    player(make.request())
    assert player.states == ORDER


def test_everything_of_a_success_is_in_the_line(make):
    ports = make.ports()
    record = Player(ports)(make.request("fp1-t1a", repeat=2, seed=9))
    assert (record.plan_success, record.execution_success, record.goal_success) == (True,) * 3
    assert record.goal_conditions == 1.0
    assert record.initially_true == [True]
    assert record.exists_in_scene is True
    assert record.perceived_by_agent is None
    assert record.perception_error == "no vision node in the graph"
    assert (record.plan_step_count, record.action_count, record.dispatched_count) == (2, 2, 2)
    assert (record.end_reason, record.error_code, record.failure_cause) == ("completed", 0, None)
    assert (record.repeat, record.seed, record.scene_digest) == (2, 9, "digest")
    assert (record.player, record.versions_digest) == ("player 1", "v")
    assert record.time.wall_clock_ms == 4000.0  # planning 1 s, two steps, the answer 1 s
    assert record.time.stages_ms == {
        "RESET": 1000.0,
        "SEED": 2000.0,
        "PLAN": 1000.0,
        "EXECUTE": 3000.0,
        "SETTLE": 1000.0,
        "SCORE": 2000.0,
        "PERCEIVE": 0.0,
    }


def test_ports_get_seed_rule_steps_and_limits(make):
    ports = make.ports()
    limits = StageLimits(reset=1, seed=2, task=3, answer=4, settle=5, score=6)
    Player(ports, limits=limits)(make.request("fp1-t1a", seed=7, max_steps=40))
    goals = load_tasks("1.1").find("fp1-t1a").sub_goals()
    assert ports.calls == [
        ("reset", "FloorPlan1", 7, 1),
        ("evaluate", goals, "milo", 2, False),
        ("evaluate", goals, "strict", 2, False),
        ("run_task", TaskCall(goals, "milo", 100, 3, 40, 7), 7),
        ("wait_for_step", 110, 5),
        ("evaluate", goals, "milo", 6, False),
        ("evaluate", goals, "strict", 6, False),
    ]


def test_engine_steps_are_counted_from_the_reset(make):
    steps = [make.step(1, "locate", engine_step=None), make.step(2, engine_step=104)]
    record = Player(make.ports(outcome=make.outcome([make.plan(steps)])))(make.request())
    assert [step.engine_step for step in record.plans[0].steps] == [None, 4]


def test_other_tiers_have_no_tier_1_signals(make):
    record = Player(make.ports())(make.request("fp1-t2a"))
    assert record.exists_in_scene is None
    assert record.perceived_by_agent is None
    assert record.perception_error == "perception is scored in tier 1 only"


def test_partial_credit(make):
    after = Evaluation((make.verdict(True), make.verdict(False)), False)
    record = Player(make.ports(after=after))(make.request("fp1-t4a"))
    assert record.goal_conditions == 0.5
    assert not record.goal_success
    assert record.failure_cause == "goal predicate failed live for: cup"


def test_an_unverifiable_goal_is_no_success(make):
    after = Evaluation((make.verdict(None),), False)
    record = Player(make.ports(after=after))(make.request())
    assert (record.goal_success, record.goal_conditions) == (False, 0.0)
    assert record.exists_in_scene is None


@pytest.mark.parametrize(
    ("stage", "last"),
    [
        ("reset_answer", State.RESET),
        ("before", State.SEED),
        ("strict_before", State.SEED),
        ("outcome", State.PLAN),
        ("settled", State.SETTLE),
        ("after", State.SCORE),
        ("strict_after", State.SCORE),
    ],
)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (EngineError.ENGINE_DIED, "engine_error"),
        (EngineError.ENGINE_START_FAILED, "engine_error"),
        (EngineError.STAGE_TIMEOUT, "timeout"),
        (EngineError.NODE_UNAVAILABLE, "harness_error"),
    ],
)
def test_a_failing_stage_leads_to_log(make, stage, last, code, reason):
    player = Player(make.ports(**{stage: StageError(code, "It broke.")}))
    record = player(make.request())
    assert player.states[-2:] == [last, State.LOG]
    assert (record.end_reason, record.error_code) == (reason, code)
    assert record.failure_cause == "It broke."
    assert record.cause_code == ""
    assert not record.goal_success
    assert not record.judged
    assert str(last) in record.time.stages_ms


def test_a_failed_score_keeps_the_trace(make):
    error = StageError(EngineError.ENGINE_DIED, "It broke.")
    record = Player(make.ports(after=error))(make.request())
    assert record.execution_success
    assert len(record.plans[0].steps) == 2
    assert record.perception_error == "the episode ended before it"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (RunTaskError.UNKNOWN, "harness_error"),
        (RunTaskError.WORLD_STATE_STALE, "harness_error"),
        (RunTaskError.DRIVER_UNAVAILABLE, "harness_error"),
        (EngineError.ENGINE_TIMEOUT, "engine_error"),
    ],
)
def test_a_task_that_failed_for_others_reasons_is_not_the_agents(make, code, reason):
    outcome = make.outcome([], error_code=code, error_msg="Nobody there.", plan_success=False)
    ports = make.ports(outcome=outcome)
    record = Player(ports)(make.request())
    assert (record.end_reason, record.error_code) == (reason, code)
    assert record.failure_cause == "Nobody there."
    assert [call[0] for call in ports.calls].count("evaluate") == 2


@pytest.mark.parametrize(
    "code", [RunTaskError.NO_PLAN, RunTaskError.EXECUTION_FAILED, RunTaskError.UNSUPPORTED_GOAL]
)
def test_the_agents_failures_are_scored(make, code):
    outcome = make.outcome(
        [], error_code=code, error_msg="No.", plan_success=False, execution_success=False
    )
    record = Player(make.ports(outcome=outcome))(make.request())
    assert (record.end_reason, record.error_code) == ("completed", 0)
    assert record.goal_success
    assert record.failure_cause == "No."


def test_running_out_of_time_is_the_agents_failure_and_scored(make):
    outcome = make.outcome(
        [], error_code=RunTaskError.TIME_LIMIT, error_msg="Too slow.", execution_success=False
    )
    record = Player(make.ports(outcome=outcome))(make.request())
    assert (record.end_reason, record.error_code) == ("timeout", 0)
    assert record.failure_cause == "Too slow."
    assert len(record.verdicts) == 1


def test_a_bug_is_a_harness_error_and_reported(make):
    bug = KeyError("x")
    player = Player(make.ports(before=bug))
    record = player(make.request())
    assert (record.end_reason, record.error_code) == (
        "harness_error",
        EngineError.HARNESS_EXCEPTION,
    )
    assert record.failure_cause == "harness_exception: KeyError('x')"
    assert player.exceptions == [bug]
    assert player.states[-1] == State.LOG


@pytest.mark.parametrize("stage", ["reset_answer", "before", "outcome", "settled", "after"])
def test_a_stopped_episode_leaves_no_line(make, stage):
    player = Player(make.ports(**{stage: EpisodeStopped()}))
    with pytest.raises(EpisodeStopped):
        player(make.request())
    assert State.LOG not in player.states


def test_without_steps_it_never_says_execute(make):
    player = Player(make.ports(outcome=make.outcome([], plan_success=False)))
    record = player(make.request())
    assert State.EXECUTE not in player.states
    assert record.time.stages_ms["EXECUTE"] == 0.0


def test_both_rules_are_scored_side_by_side(make):
    ports = make.ports(
        strict_before=Evaluation((make.verdict(False),), False, held_at_reset=(True,)),
        strict_after=Evaluation(
            (make.verdict(False),),
            False,
            reason="'find mug' is not true of any instance.",
            side_effects=("Fridge|1 was closed and is open now.",),
        ),
    )
    record = Player(ports)(make.request())
    assert (record.goal_rule, record.goal_success, record.goal_success_strict) == (
        "milo",
        True,
        False,
    )
    assert (record.goal_conditions, record.goal_conditions_strict) == (1.0, 0.0)
    assert (record.initially_true, record.held_at_reset) == ([True], [True])
    assert record.strict_reason == "'find mug' is not true of any instance."
    assert (record.side_effect_free, len(record.side_effects)) == (False, 1)
    assert [verdict.satisfied for verdict in record.verdicts_strict] == [False]
    assert record.success  # in the profile milo


def test_teleports_have_no_path(make):
    record = Player(make.ports(driven=3.0))(make.request())
    assert (record.spl, record.path_length, record.shortest_length) == (None, None, None)


@pytest.mark.parametrize(
    ("shortest", "driven", "success", "spl"),
    [(2.0, 4.0, True, 0.5), (2.0, 1.9, True, 1.0), (0.0, 1.0, True, 1.0), (2.0, 4.0, False, 0.0)],
)
def test_paths_are_weighted(make, shortest, driven, success, spl):
    ports = make.ports(
        strict_before=Evaluation((make.verdict(False),), False, shortest_length=shortest),
        strict_after=Evaluation((make.verdict(success),), success),
        driven=driven,
    )
    record = Player(ports)(make.request(profile="strict"))
    assert (record.spl, record.path_length, record.shortest_length) == (spl, driven, shortest)
    assert ("path_length", 100, 110) in ports.calls
    assert [call[-1] for call in ports.calls if call[0] == "evaluate"] == [
        False,
        True,
        False,
        False,
    ]


def test_without_a_way_there_is_no_spl(make):
    record = Player(make.ports(driven=1.0))(make.request(profile="strict"))
    assert (record.spl, record.path_length, record.shortest_length) == (None, 1.0, None)


def test_a_failure_is_classified_by_the_rule_of_the_profile(make):
    step = make.step(1, "place", status="failed", error_code=310, error_msg="No room.")
    outcome = make.outcome([make.plan([step], status="failed")], execution_success=False)
    ports = {"outcome": outcome, "strict_after": Evaluation((make.verdict(False),), False)}
    counted = Player(make.ports(**ports))(make.request(profile="strict"))
    assert (counted.failure_class, counted.success) == ("geometry", False)
    passed = Player(make.ports(**ports))(make.request())
    assert (passed.failure_class, passed.success) == (None, True)


def test_an_engine_error_has_its_class(make):
    error = StageError(EngineError.ENGINE_DIED, "It broke.")
    record = Player(make.ports(after=error))(make.request())
    assert (record.failure_class, record.blame, record.side_effect_free) == ("engine", None, None)


def test_without_another_cause_the_strict_rule_tells_what_it_misses(make):
    after = Evaluation((make.verdict(),), False, reason="The agent has not acted.")
    ports = make.ports(outcome=make.outcome([]), strict_after=after)
    record = Player(ports)(make.request(profile="strict"))
    assert record.failure_cause == "planning failed"
    plans = [make.plan([make.step(1)])]
    ports = make.ports(outcome=make.outcome(plans), strict_after=after)
    record = Player(ports)(make.request(profile="strict"))
    assert record.failure_cause == "The agent has not acted."
