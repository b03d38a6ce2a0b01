"""What lies behind the window's contradictions and absences: lineage, books and history in, reasons out."""
