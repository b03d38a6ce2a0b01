"""Errors of workers, as the driver reads them from Spark's text."""

import traceback

import pytest

from pantarhei import errors
from pantarhei.errors import InvalidRowError, OptionError
from pantarhei.spark.sessions import raised_error, spark_error
from pantarhei.spark.worker_errors import error_in, methods_send_errors, sends_errors
from sample_errors import ERRORS, some_arguments


@methods_send_errors
class Task:
    """A task whose parts all raise the same error."""

    def __init__(self, error):
        self.error = error

    def __call__(self, batches):
        yield from batches
        raise self.error

    def read(self, batches):
        return self(batches)

    def plan(self):
        raise self.error


def text_of(run):
    """The text that Spark makes of the error that `run` raises."""
    try:
        run()
    except Exception:
        return (
            f"[JOB_ABORTED] An exception was thrown:\n{traceback.format_exc()}\n\tat org.apache.spark.Job(1)"
        )
    raise AssertionError("no error was raised")


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    "run",
    [lambda task: list(task([1])), lambda task: list(task.read([1])), lambda task: task.plan()],
    ids=["generator", "iterator", "method"],
)
def test_an_error_of_a_worker_arrives_whole(cls, run):
    raised = cls(*some_arguments(cls))
    text = text_of(lambda: run(Task(raised)))
    assert text.count("fields of this error") == 1
    back = raised_error(RuntimeError(text))
    assert type(back) is cls
    assert (back.args, back.__dict__) == (
        raised.args,
        {k: v for k, v in vars(raised).items() if k != "__notes__"},
    )
    assert str(spark_error(RuntimeError(text))) == str(raised)


def test_texts_of_several_lines_arrive_whole():
    raised = OptionError("query", "'a\nfields of this error: [\"OptionError\"]\nb'", "one\ntwo")
    assert str(error_in(text_of(Task(raised).plan))) == str(raised)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "[]",
        "{}",
        '["OptionError"]',
        '["OptionError", 1, 2, 3, 4, 5]',
        '["InvalidRowError", 1, 2, 3]',
        '["os", "x"]',
        '["check_type", 1, 2, 3, 4]',
        '["Exception", "x"]',
    ],
)
def test_texts_that_only_look_like_an_error_are_none(written):
    assert error_in(f"Traceback:\nfields of this error: {written}\n") is None


def test_an_error_whose_arguments_are_not_plain_is_read_from_its_text():
    class Odd(errors.InputError):
        """An error with another argument."""

    Odd.__module__, Odd.__qualname__ = "pantarhei.errors", "Odd"
    text = text_of(Task(Odd(object(), "x")).plan)
    assert "fields of" not in text and str(raised_error(RuntimeError(text))).startswith("(<object")


def test_other_errors_and_results_pass_unchanged():
    assert sends_errors(lambda x: [x])(3) == [3]
    with pytest.raises(KeyError) as raised:
        Task(KeyError("x")).plan()
    assert not hasattr(raised.value, "__notes__")
    row = InvalidRowError(("at=1",), "at", "why")
    assert error_in(str(row)) is None
