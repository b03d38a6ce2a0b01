import pytest

from pantarhei.io.mapping.record_mapping import TextTemplate


@pytest.mark.parametrize("text", ["urn:a", "$(a)", "urn:$(a)/$(b)x", ""])
def test_a_template_is_written_as_it_was_read(text):
    assert str(TextTemplate.read(text)) == text


def test_a_bracket_in_a_name_is_written_with_a_backslash():
    assert TextTemplate.read(r"$(temp \(C\))").columns == ("temp (C)",)


@pytest.mark.parametrize("text", ["$(a", "$()", "$(a(b)"])
def test_a_reference_without_end_or_name_is_none(text):
    with pytest.raises(ValueError):
        TextTemplate.read(text)


def test_only_a_reference_alone_is_whole():
    assert TextTemplate.read("$(a)").is_whole
    assert not any(TextTemplate.read(text).is_whole for text in ("a", "$(a)$(b)", "x$(a)", "$(a) "))


def test_columns_are_filled_with_texts_or_other_columns():
    template = TextTemplate.read("urn:$(property)/$(value)")
    filled = template.filled(
        lambda name: TextTemplate(("ozone",)) if name == "property" else TextTemplate.read("$(o3)")
    )
    assert str(filled) == "urn:ozone/$(o3)"
