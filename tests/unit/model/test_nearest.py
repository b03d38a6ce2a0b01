from pantarhei.model.nearest import did_you_mean


def test_a_name_that_differs_by_case_or_spaces_only_is_near():
    assert did_you_mean(" vehiclecount", ["status", "vehicleCount"]) == " (did you mean vehicleCount?)"


def test_nothing_is_asked_where_no_name_is_near():
    assert did_you_mean("temperature", ["id", "free"]) == ""
