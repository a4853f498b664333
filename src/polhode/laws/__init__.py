"""Control laws and what runs take of them: controls, limits, controllers and observers as protocols."""
