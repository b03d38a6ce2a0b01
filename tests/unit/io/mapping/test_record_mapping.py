import pytest

from pantarhei.io.mapping.record_mapping import Template


@pytest.mark.parametrize("text", ["urn:a", "$(a)", "urn:$(a)/$(b)x", ""])
def test_a_template_is_written_as_it_was_read(text):
    assert str(Template.read(text)) == text


def test_a_bracket_in_a_name_is_written_with_a_backslash():
    assert Template.read(r"$(temp \(C\))").columns == ("temp (C)",)


@pytest.mark.parametrize("text", ["$(a", "$()", "$(a(b)"])
def test_a_reference_without_end_or_name_is_none(text):
    with pytest.raises(ValueError):
        Template.read(text)


def test_only_a_reference_alone_is_whole():
    assert Template.read("$(a)").is_whole
    assert not any(Template.read(text).is_whole for text in ("a", "$(a)$(b)", "x$(a)", "$(a) "))


def test_columns_are_filled_with_texts_or_other_columns():
    template = Template.read("urn:$(property)/$(value)")
    filled = template.filled(
        lambda name: Template(("ozone",)) if name == "property" else Template.read("$(o3)")
    )
    assert str(filled) == "urn:ozone/$(o3)"
