import pytest

from pantarhei.cli.given_values import system_language
from pantarhei.model.labels import languages_of


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": ""}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de"}, "de"),
        ({"LANG": "de_AT.UTF-8"}, "de-AT"),
        ({"LANG": "ca_ES@valencia"}, "ca-ES"),
        ({"LANG": "de_DE", "LC_MESSAGES": "fr_FR"}, "fr-FR"),
        ({"LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "it_IT"}, "it-IT"),
        ({"LANG": "de_DE", "LC_ALL": ""}, "de-DE"),
        ({"LANG": "de_DE", "LC_ALL": "C"}, "en"),
        ({"LANG": "/usr/share/locale"}, "en"),
    ],
)
def test_the_language_of_the_environment_is_a_tag_that_labels_can_have(environment, language):
    assert system_language(environment) == language
    assert languages_of(language)
