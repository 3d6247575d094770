SELECT chains FROM countersign.installation
