"""What follows from the table of options (``StudySpec``): the command line, study files, their schema, a page."""
